/** The ids of shops, banks and devices: what a credential is bound to. Free of dependencies. */

/** 1 to 64 of letters, digits, `.`, `_` and `-`, beginning with a letter or a digit. */
export const isOwnerId = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text);
