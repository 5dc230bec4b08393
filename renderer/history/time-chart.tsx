/** How long something took: half of them, nine of ten, and all by their length. */
import { useTranslation } from "react-i18next";
import type { Durations } from "../../preload/contract.ts";
import { numberText, secondsText } from "../ui/figure-text.ts";
import { useLanguage } from "../ui/use-language.ts";
import { Chart } from "./chart.tsx";
import classes from "./figures.module.css";

interface TimeChartProps {
  readonly title: string;
  readonly durations: Durations;
}

/** One chart, or a sentence where nothing was measured. */
export const TimeChart = ({ title, durations }: TimeChartProps) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const { medianMs, p90Ms, buckets } = durations;
  if (medianMs === null || p90Ms === null)
    return (
      <p className={classes.unmeasured}>
        {title}: {t("figures.notMeasured")}
      </p>
    );
  const half = t("figures.half", { time: secondsText(medianMs, language) });
  const most = t("figures.most", { time: secondsText(p90Ms, language) });
  return (
    <Chart
      title={`${title}: ${half}, ${most}`}
      nameHead={t("story.time")}
      valueHead={t("figures.number")}
      bars={buckets.map(({ belowMs, count }) => ({
        name: belowMs === null ? t("figures.longer") : `< ${secondsText(belowMs, language)}`,
        fullName: belowMs === null ? t("figures.longer") : t("figures.below", { time: secondsText(belowMs, language) }),
        value: count,
        text: numberText(count, language),
      }))}
      format={(count) => numberText(count, language)}
    />
  );
};
