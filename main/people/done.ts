/** How a change to the people of a terminal ended. */
import type { Refusal } from "../../preload/contract.ts";

/** The value of a change that was made, or why it was refused. */
export type Done<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly code: Refusal };

/** It was not made. */
export const refused = (code: Refusal): { readonly ok: false; readonly code: Refusal } => ({ ok: false, code });

/** It was made, and is on disk. */
export const done = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value });
