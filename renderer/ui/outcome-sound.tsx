import { useEffect } from "react";
import type { Screen } from "../../preload/contract.ts";
import { play, type Sound, wakeSound } from "./sounds.ts";
import { useJournalFailing } from "./use-journal-failing.ts";

const soundOf = (screen: Screen, journalFailing: boolean): Sound | null => {
  if (journalFailing) return "never";
  if (screen.kind === "payable") return screen.recovered || screen.handOutBegun ? "ask" : "give";
  if (screen.kind === "ended") return screen.outcome === "handed_out" ? null : "never";
  return screen.kind === "unknown" ? "never" : null;
};

/** For a cashier who looks away: one sound for "give cash", one for "do not give cash", one for "ask first". */
export const OutcomeSound = ({ screen, enabled }: { readonly screen: Screen; readonly enabled: boolean }) => {
  useEffect(() => {
    const events = ["pointerdown", "keydown"] as const;
    for (const event of events) window.addEventListener(event, wakeSound, { passive: true });
    return () => {
      for (const event of events) window.removeEventListener(event, wakeSound);
    };
  }, []);
  const sound = soundOf(screen, useJournalFailing());
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new step is heard again, even with the same sound
  useEffect(() => {
    if (enabled && sound) play(sound);
  }, [enabled, sound, screen.step]);
  return null;
};
