import { normalizeTypedId } from "../../../backend/contract/ids.ts";
import type { Settings } from "../../../preload/contract.ts";
import { idFault } from "../decode/rules.ts";
import { scanTextLengthMax } from "../scan.ts";

/** An id out of what a person typed or pasted: as it stands, or as Crockford reads it; null when it is none. */
export const readTypedId = (text: string, rules: Pick<Settings, "foreignIds">): string | null => {
  const trimmed = text.trim();
  for (const candidate of [trimmed, normalizeTypedId(trimmed)])
    if (idFault(candidate, rules) === null) return candidate;
  return null;
};

/** Takes what is pasted where no field wants it. The result stops it. */
export const listenToPaste = (settings: () => Settings, onText: (text: string) => void): (() => void) => {
  const listen = (event: ClipboardEvent): void => {
    const target = event.target;
    if (target instanceof HTMLElement && target.closest("input, textarea, [contenteditable]") !== null) return;
    const text = event.clipboardData?.getData("text/plain").trim().slice(0, scanTextLengthMax) ?? "";
    if (text === "") return;
    event.preventDefault();
    onText(readTypedId(text, settings()) ?? text);
  };
  window.addEventListener("paste", listen, { capture: true });
  return () => window.removeEventListener("paste", listen, { capture: true });
};
