import type { Settings } from "../../preload/contract.ts";
import { noteActivity } from "./activity.ts";
import { pausesOf } from "./keyboard/interpret.ts";
import { type KeyboardScan, listenToKeyboard } from "./keyboard/listen.ts";
import { idFault, type OnScan, readTypedId, scanTextLengthMax } from "./scan.ts";
import { startDeviceScanners } from "./usb/usb-scanner.ts";

/** Takes what is pasted where no field wants it. The result stops it. */
const listenToPaste = (settings: () => Settings, onText: (text: string) => void): (() => void) => {
  const listen = (event: ClipboardEvent): void => {
    const target = event.target;
    if (target instanceof HTMLElement && target.closest("input, textarea") !== null) return;
    const text = event.clipboardData?.getData("text/plain").trim().slice(0, scanTextLengthMax) ?? "";
    if (text === "") return;
    event.preventDefault();
    onText(readTypedId(text, settings()) ?? text);
  };
  window.addEventListener("paste", listen, { capture: true });
  return () => window.removeEventListener("paste", listen, { capture: true });
};

const noteKeyboard = ({ keys, text, symbology, understood, end }: KeyboardScan, settings: Settings): void =>
  noteActivity({
    source: "keyboard",
    text,
    raw: keys.map(({ key }) => key).join(""),
    symbology,
    fault: idFault(text, settings),
    timing: pausesOf(keys),
    detail: `${understood}, ${end}`,
  });

/**
 * Listens to every scanner that is not the camera, for as long as the page is open, whatever has the focus: keyboard scanners, chosen
 * HID and serial scanners, pasted texts. `settings` gives the latest ones. The result stops all.
 */
export const startScanners = (onScan: OnScan, settings: () => Settings): (() => void) => {
  const stops = [
    listenToKeyboard(settings, (scan) => {
      const { text, symbology } = scan;
      noteKeyboard(scan, settings());
      onScan({ text: text.slice(0, scanTextLengthMax), source: "keyboard", ...(symbology && { symbology }) });
    }),
    listenToPaste(settings, (text) => {
      const fault = idFault(text, settings());
      noteActivity({ source: "pasted", text, raw: text, symbology: null, fault, timing: null, detail: "" });
      onScan({ text, source: "pasted" });
    }),
    startDeviceScanners(onScan, settings),
  ];
  return () => {
    for (const stop of stops) stop();
  };
};
