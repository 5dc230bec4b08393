import { useEffect, useState } from "react";
import type { Snapshot } from "../../preload/contract.ts";
import { useFrameCount } from "./drawn-frames.ts";

/** Announces each new screen to screen readers, and each that says something else: its banner, then its title. Stays mounted while screens change. */
export const Announcer = ({ snapshot }: { readonly snapshot: Snapshot }) => {
  const [text, setText] = useState("");
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
