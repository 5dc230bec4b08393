import { useEffect, useState } from "react";
import { useLanguage } from "../ui/use-language.ts";
import type { Guide } from "./guide.ts";
import { guideOf } from "./texts/index.ts";

/** The guide in the terminal's language: fetched once the page is at rest, so that it is there when the terminal is not. */
export const useGuide = (): Guide | "loading" | "failed" => {
  const language = useLanguage();
  const [guide, setGuide] = useState<Guide | "loading" | "failed">("loading");
  useEffect(() => {
    let isCurrent = true;
    const take = (loaded: Guide | "failed"): void => {
      if (isCurrent) setGuide(loaded);
    };
    guideOf[language]().then(take, () => take("failed"));
    return () => {
      isCurrent = false;
    };
  }, [language]);
  return guide;
};
