/** What a screen says to screen readers, and its sound about cash. */
import { useWindowEvent } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { soundOf } from "./screen-rules.ts";
import { useFrameCount } from "./ui/frame.tsx";
import { play, unlockAudio } from "./ui/sounds.ts";
import { useSnapshot } from "./ui/terminal.tsx";

/** Announces each new screen to screen readers, and each that says something else: its banner, then its title. Stays mounted while screens change. */
export const Announcer = () => {
  const [text, setText] = useState("");
  const snapshot = useSnapshot();
  const drawn = useFrameCount((store) => store.count);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what a new snapshot or frame says is read from the page as it now is
  useEffect(() => {
    const parts = [...document.querySelectorAll("[data-region=banner] p, main h1")].map((part) => part.textContent);
    setText(parts.filter(Boolean).join(". "));
  }, [snapshot, drawn]);
  return (
    <p className="visually-hidden" aria-live="assertive">
      {text}
    </p>
  );
};

/** Plays a sound for each new screen about cash: "give", "do not give" or "ask first". */
export const OutcomeSound = () => {
  const { screen, header, settings } = useSnapshot();
  useWindowEvent("pointerdown", unlockAudio, { passive: true });
  useWindowEvent("keydown", unlockAudio, { passive: true });
  const sound = soundOf(screen, header.journalFailing, settings.openOnSettled);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new step plays again, even with the same sound
  useEffect(() => {
    if (settings.sound && sound) play(sound, settings.volume);
  }, [settings.sound, sound, screen.step]);
  return null;
};
