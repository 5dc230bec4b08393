/** The day's sums, as far as whoever looks may see them. */
import { useTranslation } from "react-i18next";
import type { ExpectedView } from "../../preload/contract.ts";
import { useLanguage } from "../ui/use-language.ts";
import classes from "./day.module.css";
import { minorText } from "./money-text.ts";

interface FiguresProps {
  readonly currency: string;
  readonly floatMinor: number;
  readonly expected: ExpectedView | null;
  readonly countedMinor: number | null;
}

/** A list of labelled sums in minor units of `currency`; `expected` and `countedMinor` are left out when null. */
export const Figures = ({ currency, floatMinor, expected, countedMinor }: FiguresProps) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const lines: readonly (readonly [string, number, boolean?])[] = [
    [t("day.float"), floatMinor],
    ...(expected === null
      ? []
      : ([
          [t("day.in"), expected.inMinor],
          [t("day.out"), -expected.outMinor],
          [t("day.handedOut", { count: expected.handOuts }), -expected.handedOutMinor],
          [t("day.expected"), expected.expectedMinor, true],
        ] as const)),
    ...(countedMinor === null ? [] : ([[t("day.counted"), countedMinor, true]] as const)),
    ...(expected?.differenceMinor == null ? [] : ([[t("day.difference"), expected.differenceMinor, true]] as const)),
  ];
  return (
    <dl className={classes.figures}>
      {lines.map(([name, minor, isSum]) => (
        <div key={name} data-sum={isSum || undefined}>
          <dt>{name}</dt>
          <dd>{minorText(minor, currency, language)}</dd>
        </div>
      ))}
    </dl>
  );
};
