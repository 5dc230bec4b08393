/** Ends a switch over a tagged union: a missing variant is a compile error, and an unexpected value throws. */
export const assertNever = (value: never): never => {
  throw new Error(`unexpected variant: ${JSON.stringify(value)}`);
};
