import { useEffect, useState } from "react";
import { useFrameCount } from "./drawn-frames.ts";

interface AnnouncerProps {
  readonly step: string;
  /** It changes the banner, so the screen is read again when it changes. */
  readonly journalFailing: boolean;
}

/** Announces each new screen to screen readers: its banner, then its title. Stays mounted while screens change. */
export const Announcer = ({ step, journalFailing }: AnnouncerProps) => {
  const [text, setText] = useState("");
  const drawn = useFrameCount((store) => store.count);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new step or frame is a new screen, read from the page as it now is
  useEffect(() => {
    const parts = [...document.querySelectorAll("[data-region=banner] p, main h1")].map((part) => part.textContent);
    setText(parts.filter(Boolean).join(". "));
  }, [step, journalFailing, drawn]);
  return (
    <p className="visually-hidden" aria-live="assertive">
      {text}
    </p>
  );
};
