import type { Language } from "../../preload/contract.ts";
import { durationText } from "../ui/format.ts";

/** "30 seconds": never "0 seconds" while there is something left. */
export const waitText = (waitMs: number, language: Language): string => durationText(waitMs + 999, language);
