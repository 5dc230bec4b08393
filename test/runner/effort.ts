/** How long tests that play at random go on: as usual in `npm test`, far in `npm run torture`. */
interface ByEffort<T> {
  readonly usual: T;
  readonly torture: T;
}

/** `EFFORT=torture` for a run by hand. */
export function byEffort<T>({ usual, torture }: ByEffort<T>): T {
  return process.env.EFFORT === "torture" ? torture : usual;
}
