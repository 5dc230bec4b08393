import { useEffect } from "react";
import { assertNever } from "../../backend/contract/assert-never.ts";
import type { Screen, Settings } from "../../preload/contract.ts";
import { toneOf } from "./outcome-tone.ts";
import { play, type Sound, unlockAudio } from "./sounds.ts";
import type { BannerTone } from "./status-banner.tsx";
import { useJournalFailing } from "./use-journal-failing.ts";

const soundOfTone: Readonly<Partial<Record<BannerTone, Sound>>> = { never: "never", nothing: "nothing" };

const soundOf = (screen: Screen, journalFailing: boolean): Sound | null => {
  if (journalFailing) return "never";
  switch (screen.kind) {
    case "payable":
      return screen.recovered || screen.handOutBegun ? "ask" : "give";
    case "ended":
      return soundOfTone[toneOf(screen.outcome)] ?? null;
    case "unknown":
      return "never";
    case "starting":
    case "setup":
    case "blocked":
    case "ready":
    case "looking_up":
    case "review":
    case "confirming":
    case "waiting":
    case "closing":
    case "opening":
    case "counting":
    case "done":
      return null;
    default:
      return assertNever(screen);
  }
};

/** Plays a sound for each new screen about cash: "give", "do not give" or "ask first". */
export const OutcomeSound = ({
  screen,
  settings,
}: {
  readonly screen: Screen;
  readonly settings: Pick<Settings, "sound" | "volume">;
}) => {
  useEffect(() => {
    const events = ["pointerdown", "keydown"] as const;
    for (const event of events) window.addEventListener(event, unlockAudio, { passive: true });
    return () => {
      for (const event of events) window.removeEventListener(event, unlockAudio);
    };
  }, []);
  const sound = soundOf(screen, useJournalFailing());
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new step plays again, even with the same sound
  useEffect(() => {
    if (settings.sound && sound) play(sound, settings.volume);
  }, [settings.sound, sound, screen.step]);
  return null;
};
