/** The shape of English texts, for another language: the same keys, each with a text of its own. */
export type Texts<English> = {
  readonly [Key in keyof English]: English[Key] extends string ? string : Texts<English[Key]>;
};
