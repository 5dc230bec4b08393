/** Help over whatever is in front: the section for it, all others, and what this terminal is. A new screen closes it. */
import { Button } from "@mantine/core";
import { t } from "i18next";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { Facts } from "../ui/data-table.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { useLanguage, useSnapshotStore, useSupport } from "../ui/terminal.tsx";
import { useUpdateText } from "../ui/use-update.ts";
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

const pages = {
  machine: lazy(async () => ({ default: (await import("./about-pages.tsx")).Machine })),
  licences: lazy(async () => ({ default: (await import("./about-pages.tsx")).Licences })),
} as const;
/** A page that *About* leads to. */
type AboutPage = keyof typeof pages;
type Shown = HelpSection | "about" | AboutPage;

/** What support asks for: version, terminal, shop, service, support contact; and what this computer and the licences say. */
const About = ({ show }: { readonly show?: (page: AboutPage) => void }) => {
  const header = useSnapshotStore((store) => store.snapshot?.header);
  const support = useSupport();
  const update = useUpdateText();
  const { identity, profile } = header ?? {};
  return (
    <>
      <Facts
        className={classes.facts}
        rows={[
          [t("help.version"), `${t("product")} ${import.meta.env.VITE_VERSION}`],
          [t("updates.title"), update],
          [t("setup.deviceId"), identity?.deviceId],
          [t("facts.shop"), [profile?.name, identity?.merchantId].filter(Boolean).join(", ")],
          [t("help.service"), identity?.serviceUrl],
          [t("facts.support"), support ?? t("help.noSupport")],
        ]}
      />
      {show &&
        (Object.keys(pages) as AboutPage[]).map((page) => (
          <Button key={page} justify="start" onClick={() => show(page)}>
            {t(`help.${page}`)}
          </Button>
        ))}
    </>
  );
};

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
  const [chosen, setChosen] = useState<Shown | null>(null);
  useEffect(() => {
    if (!isOpen) setChosen(null);
  }, [isOpen]);
  const shown = chosen ?? sectionAt[place];
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
  const link = (to: Shown, title: string) => (
    <Button key={to} justify="start" onClick={() => setChosen(to)} aria-current={to === shown || undefined}>
      {title}
    </Button>
  );
  const links = (sections: readonly HelpSection[]) => (
    <div className={classes.links}>{sections.map((section) => link(section, guide[section].title))}</div>
  );
  const content = () => {
    if (shown === "about") return <About show={setChosen} />;
    if (shown === "machine" || shown === "licences") {
      const Page = pages[shown];
      return (
        <Suspense fallback={null}>
          <Page />
        </Suspense>
      );
    }
    return (
      <ol>
        {guide[shown].steps.map((step) => (
          <li key={step}>
            {pieces(step).map(({ text, isLabel }) =>
              // The guide's own test holds each key to be a text of the terminal.
              isLabel ? <strong key={text}>{t(text as "product")}</strong> : text,
            )}
          </li>
        ))}
      </ol>
    );
  };
  const isPage = shown === "about" || shown === "machine" || shown === "licences";
  return (
    <Dialog
      opened={isOpen}
      close={closeHelp}
      title={isPage ? t(`help.${shown}`) : guide[shown].title}
      closeLabel={t("help.close")}
      isWide
    >
      <div className={classes.scroll} ref={scroll} tabIndex={-1}>
        {content()}
        <nav aria-label={t("help.sections")}>
          <h3>{t("help.cashier")}</h3>
          {links(cashierSections)}
          <h3>{t("help.manager")}</h3>
          {links(managerSections)}
          {link("about", t("help.about"))}
        </nav>
      </div>
    </Dialog>
  );
};
