/** Ends a switch over a tagged union: a new variant is a compile error here, and a hostile value a loud one at run time. */
export const assertNever = (value: never): never => {
  throw new Error(`unexpected variant: ${JSON.stringify(value)}`);
};
