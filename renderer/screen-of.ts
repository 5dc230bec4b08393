import type { Screen } from "../preload/contract.ts";

/** One kind of screen with its own fields. */
export type ScreenOf<K extends Screen["kind"]> = Extract<Screen, { readonly kind: K }>;
