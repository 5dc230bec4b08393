/** The day's sums, as far as whoever looks may see them. */
import { useTranslation } from "react-i18next";
import type { ExpectedView } from "../../preload/contract.ts";
import { minorText, signedText } from "../ui/format.ts";
import { useLanguage } from "../ui/use-language.ts";
import classes from "./day.module.css";

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
  const money = (minor: number): string => minorText(minor, currency, language);
  const lines: readonly (readonly [string, string, boolean?])[] = [
    [t("day.float"), money(floatMinor)],
    ...(expected === null
      ? []
      : ([
          [t("day.in"), money(expected.inMinor)],
          [t("day.out"), money(-expected.outMinor)],
          [t("day.handedOut", { count: expected.handOuts }), money(-expected.handedOutMinor)],
          [t("day.expected"), money(expected.expectedMinor), true],
        ] as const)),
    ...(countedMinor === null ? [] : ([[t("day.counted"), money(countedMinor), true]] as const)),
    ...(expected?.differenceMinor == null
      ? []
      : ([[t("day.difference"), signedText(expected.differenceMinor, currency, language), true]] as const)),
  ];
  return (
    <dl className={classes.figures}>
      {lines.map(([name, sum, isSum]) => (
        <div key={name} data-sum={isSum || undefined}>
          <dt>{name}</dt>
          <dd>{sum}</dd>
        </div>
      ))}
    </dl>
  );
};
