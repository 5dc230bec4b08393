/** How long tests that play at random go on: shortly in `npm run check`, as usual in `npm test`, far in `npm run torture`. */
interface ByEffort<T> {
  /** As usual where it is not named. */
  readonly quick?: T;
  readonly usual: T;
  readonly torture: T;
}

/** `EFFORT=torture` for a run by hand. */
export function byEffort<T>({ usual, quick = usual, torture }: ByEffort<T>): T {
  if (process.env.EFFORT === "quick") return quick;
  return process.env.EFFORT === "torture" ? torture : usual;
}
