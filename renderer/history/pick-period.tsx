/** Which days are looked at: a period, its date, and the ones before and after. */
import { Button, TextInput } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { dayText } from "../ui/figure-text.ts";
import { PickOne } from "../ui/pick-one.tsx";
import { useLanguage } from "../ui/use-language.ts";
import classes from "./figures.module.css";
import { dayOf, type Period, rangeOf, shifted } from "./period.ts";

/** A date is whole when no key followed for so long; a scan that passes through the field changes nothing. */
const typingMs = 400;

interface PickPeriodProps {
  readonly offered: readonly Period[];
  readonly period: Period;
  /** Any day of it. */
  readonly day: string;
  readonly pick: (period: Period, day: string) => void;
}

/** A period by its length and one of its days. */
export const PickPeriod = ({ offered, period, day, pick }: PickPeriodProps) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const { from, to } = rangeOf(period, day);
  const [typed, setTyped] = useState(day);
  useEffect(() => setTyped(day), [day]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was typed, once nothing more follows, for the period that is picked by then
  useEffect(() => {
    if (typed === "" || typed === day) return;
    const timer = window.setTimeout(() => pick(period, typed), typingMs);
    return () => window.clearTimeout(timer);
  }, [typed, period]);
  return (
    <div className={classes.pick}>
      <PickOne
        label={t("figures.period")}
        options={offered.map((value) => ({ value, text: t(`figures.${value}`) }))}
        picked={period}
        pick={(value) => pick(value, day)}
      />
      <div className={classes.when}>
        <Button
          size="md"
          variant="default"
          aria-label={t("figures.earlier")}
          onClick={() => pick(period, shifted(period, day, -1))}
        >
          <IconChevronLeft aria-hidden />
        </Button>
        <TextInput
          type="date"
          aria-label={t("figures.date")}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Button
          size="md"
          variant="default"
          aria-label={t("figures.later")}
          onClick={() => pick(period, shifted(period, day, 1))}
        >
          <IconChevronRight aria-hidden />
        </Button>
        <Button size="md" variant="default" onClick={() => pick(period, dayOf(new Date()))}>
          {t("figures.today")}
        </Button>
      </div>
      <h2 className={classes.range}>
        {from === to
          ? dayText(from, "full", language)
          : `${dayText(from, "full", language)} – ${dayText(to, "full", language)}`}
      </h2>
    </div>
  );
};
