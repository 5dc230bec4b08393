import { useEffect, useState } from "react";
import { useDrawnFrames } from "./drawn-frames.ts";

interface AnnouncerProps {
  readonly step: string;
  /** Read again when it comes or goes: it changes what the band says. */
  readonly journalFailing: boolean;
}

/** Reads out each new screen: what it says about cash, then its title. Stays in place while screens come and go. */
export const Announcer = ({ step, journalFailing }: AnnouncerProps) => {
  const [text, setText] = useState("");
  const drawn = useDrawnFrames((store) => store.count);
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
