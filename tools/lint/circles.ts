/**
 * Circles between folders. In each folder, what lies in it is a room: a sub-folder with all that is below it, or a file
 * beside the sub-folders. An import is an arrow between the two rooms of the lowest folder that holds both its ends.
 */

/** `from` imports `to`; paths from the root, with slashes. */
export interface Import {
  readonly from: string;
  readonly to: string;
}

/** The shortest way around: the first import starts in the room where the last one ends. */
export interface Circle {
  /** The folder whose rooms they are; empty for the root. */
  readonly folder: string;
  readonly rooms: readonly string[];
  /** One import for each arrow. */
  readonly imports: readonly Import[];
}

interface Arrow {
  readonly folder: string;
  readonly room: string;
  readonly next: string;
  readonly one: Import;
}

/** An import as an arrow between two rooms of the lowest folder that holds both files. */
function arrowOf(one: Import): Arrow | null {
  const [from, to] = [one.from.split("/"), one.to.split("/")];
  const depth = from.findIndex((name, at) => name !== to[at]);
  const [room, next] = [from[depth], to[depth]];
  return room === undefined || next === undefined ? null : { folder: from.slice(0, depth).join("/"), room, next, one };
}

/** The shortest way from a room back to itself, or null. */
function wayBack(leaving: ReadonlyMap<string, readonly Arrow[]>, home: string): readonly Arrow[] | null {
  const ways: (readonly Arrow[])[] = [[]];
  const seen = new Set<string>();
  for (const way of ways) {
    for (const arrow of leaving.get(way.at(-1)?.next ?? home) ?? []) {
      if (arrow.next === home) return [...way, arrow];
      if (!seen.has(arrow.next)) ways.push([...way, arrow]);
      seen.add(arrow.next);
    }
  }
  return null;
}

/** Every circle between rooms, the short ones first; one whose rooms were all named in shorter ones is left out. */
export function findCircles(imports: readonly Import[]): readonly Circle[] {
  const arrows = imports.flatMap((one) => arrowOf(one) ?? []);
  return [...Map.groupBy(arrows, ({ folder }) => folder)].flatMap(([folder, within]) => {
    const leaving = Map.groupBy(within, ({ room }) => room);
    const ways = [...leaving.keys()].flatMap((room) => {
      const way = wayBack(leaving, room);
      return way === null ? [] : [way];
    });
    const named = new Set<string>();
    return ways
      .sort((one, other) => one.length - other.length)
      .flatMap((way) => {
        const rooms = way.map(({ room }) => room);
        if (rooms.every((room) => named.has(room))) return [];
        for (const room of rooms) named.add(room);
        return [{ folder, rooms, imports: way.map(({ one }) => one) }];
      });
  });
}
