import { useEffect, useState } from "react";

/** Reads out each new screen: what it says about cash, then its title. Stays in place while screens come and go. */
export const Announcer = ({ step }: { readonly step: string }) => {
  const [text, setText] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new step is a new screen, read from the page as it now is
  useEffect(() => {
    const parts = ["main [data-region=band]", "main h1"].map((part) => document.querySelector(part)?.textContent);
    setText(parts.filter(Boolean).join(". "));
  }, [step]);
  return (
    <p className="only-heard" aria-live="assertive">
      {text}
    </p>
  );
};
