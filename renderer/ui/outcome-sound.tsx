import { useEffect } from "react";
import { assertNever } from "../../backend/contract/assert-never.ts";
import type { Outcome, Screen, Settings } from "../../preload/contract.ts";
import { useJournalFailing } from "./snapshot-store.ts";
import { play, type Sound, unlockAudio } from "./sounds.ts";
import type { BannerTone } from "./status-banner.tsx";

/** `never` (red) where cash might be given wrongly: it may be paid, another terminal has it, or the customer has approved. */
const tones: Readonly<Record<Outcome, BannerTone>> = {
  handed_out: "given",
  not_handed_out: "nothing",
  rejected: "nothing",
  rejected_before: "nothing",
  given_up: "nothing",
  sca_timeout: "nothing",
  sca_denied: "nothing",
  user_canceled: "nothing",
  canceled: "nothing",
  order_expired: "nothing",
  declined: "nothing",
  settle_declined: "never",
  already_used: "never",
  handed_out_before: "never",
  in_use_elsewhere: "never",
  unknown_barcode: "nothing",
  no_network: "nothing",
  service_down: "nothing",
  service_refused: "nothing",
  limit_reached: "nothing",
  unclear: "never",
};

/** The banner's tone for an outcome. */
export const toneOf = (outcome: Outcome): BannerTone => tones[outcome];

const soundOfTone: Readonly<Partial<Record<BannerTone, Sound>>> = { never: "never", nothing: "nothing" };

const soundOf = (screen: Screen, journalFailing: boolean, opensItself: boolean): Sound | null => {
  if (journalFailing) return "never";
  switch (screen.kind) {
    case "payable":
      return screen.recovered || screen.handOutBegun ? "ask" : "give";
    // Green begins with it where nobody presses for the drawer.
    case "opening":
      return opensItself && screen.drawer === "opening" && !screen.recovered ? "give" : null;
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
  readonly settings: Pick<Settings, "sound" | "volume" | "openOnSettled">;
}) => {
  useEffect(() => {
    const events = ["pointerdown", "keydown"] as const;
    for (const event of events) window.addEventListener(event, unlockAudio, { passive: true });
    return () => {
      for (const event of events) window.removeEventListener(event, unlockAudio);
    };
  }, []);
  const sound = soundOf(screen, useJournalFailing(), settings.openOnSettled);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new step plays again, even with the same sound
  useEffect(() => {
    if (settings.sound && sound) play(sound, settings.volume);
  }, [settings.sound, sound, screen.step]);
  return null;
};
