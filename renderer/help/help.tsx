/** Help over whatever is in front: the section for it, all others, and what this terminal is. A new screen closes it. */

import { UnstyledButton } from "@mantine/core";
import { t } from "i18next";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { useLanguage } from "../ui/snapshot-store.ts";
import { About, type AboutPage } from "./about.tsx";
import { type Guide, guideOf, pieces } from "./guide.ts";
import classes from "./help.module.css";
import { cashierSections, type HelpPlace, type HelpSection, managerSections, sectionAt } from "./sections.ts";
import { closeHelp, useHelpKey, useHelpStore } from "./use-help.ts";

/** The guide in the terminal's language: fetched once the page is at rest, so that it is there when the terminal is not. */
const useGuide = (): Guide | "loading" | "failed" => {
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

const aboutPages = {
  machine: lazy(async () => ({ default: (await import("./about-pages.tsx")).Machine })),
  licences: lazy(async () => ({ default: (await import("./about-pages.tsx")).Licences })),
} as const satisfies Readonly<Record<AboutPage, unknown>>;

interface HelpProps {
  readonly place: HelpPlace;
  /** Help closes when it changes: nothing may cover a new screen. */
  readonly step: string;
}

/** Listens for its key, and opens over the screen. */
export const Help = ({ place, step }: HelpProps) => {
  const isOpen = useHelpStore((store) => store.isOpen);
  useHelpKey();
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the change of the step that matters
  useEffect(closeHelp, [step]);
  const guide = useGuide();
  const [chosen, setChosen] = useState<HelpSection | "about" | AboutPage | null>(null);
  useEffect(() => {
    if (!isOpen) setChosen(null);
  }, [isOpen]);
  const shown = chosen ?? sectionAt[place];
  const Page = shown === "machine" || shown === "licences" ? aboutPages[shown] : null;
  const scroll = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another section is read from its beginning
  useEffect(() => {
    scroll.current?.scrollTo(0, 0);
    // The button that led here may be gone, and the focus with it.
    if (document.activeElement === document.body) scroll.current?.focus();
  }, [shown]);
  if (typeof guide === "string")
    return (
      <Dialog opened={isOpen} close={closeHelp} title={t("help.title")} closeLabel={t("help.close")}>
        <p>{t(`help.${guide}`)}</p>
        <About />
      </Dialog>
    );
  const links = (sections: readonly HelpSection[]) => (
    <ul className={classes.links}>
      {sections.map((section) => (
        <li key={section}>
          <UnstyledButton onClick={() => setChosen(section)} aria-current={section === shown || undefined}>
            {guide[section].title}
          </UnstyledButton>
        </li>
      ))}
    </ul>
  );
  return (
    <Dialog
      opened={isOpen}
      close={closeHelp}
      title={shown in guide ? guide[shown as HelpSection].title : t(`help.${shown as "about" | AboutPage}`)}
      closeLabel={t("help.close")}
      isWide
    >
      <div className={classes.scroll} ref={scroll} tabIndex={-1}>
        {shown === "about" ? (
          <About show={setChosen} />
        ) : Page !== null ? (
          <Suspense fallback={null}>
            <Page />
          </Suspense>
        ) : (
          <ol className={classes.steps}>
            {guide[shown as HelpSection].steps.map((step) => (
              <li key={step}>
                {pieces(step).map(({ text, isLabel }) =>
                  // The guide's own test holds each key to be a text of the terminal.
                  isLabel ? <strong key={text}>{t(text as "product")}</strong> : text,
                )}
              </li>
            ))}
          </ol>
        )}
        <nav aria-label={t("help.sections")} className={classes.sections}>
          <h3>{t("help.cashier")}</h3>
          {links(cashierSections)}
          <h3>{t("help.manager")}</h3>
          {links(managerSections)}
          <UnstyledButton
            className={classes.about}
            onClick={() => setChosen("about")}
            aria-current={shown === "about" || undefined}
          >
            {t("help.about")}
          </UnstyledButton>
        </nav>
      </div>
    </Dialog>
  );
};
