import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Settings } from "../../../preload/contract.ts";
import type { Learnt } from "../keyboard/learn.ts";
import { useLearning } from "./use-learning.ts";

interface LearnScannerProps {
  readonly settings: Settings;
  readonly onSettings: (settings: Settings) => void;
}

/** Learns a keyboard scanner that is slow, sends a prefix or suffix, or is set to another layout than the terminal. */
export const LearnScanner = ({ settings, onSettings }: LearnScannerProps) => {
  const { t } = useTranslation();
  const { learning, start, stop } = useLearning();
  const save = ({ scanner }: Learnt): void => {
    onSettings({ ...settings, keyboardScanner: scanner });
    stop();
  };
  if (learning.kind === "listening") {
    return (
      <div className="scan-test-learn" role="status">
        <p>{t("scan.test.learnNow")}</p>
        <Button variant="default" onClick={stop}>
          {t("scan.test.cancel")}
        </Button>
      </div>
    );
  }
  if (learning.kind === "learnt") {
    const { learnt } = learning;
    const { gapMs, layout, prefix, suffix } = learnt.scanner;
    return (
      <div className="scan-test-learn" role="status">
        <p>
          {t("scan.test.learntSpeed", { mean: learnt.meanMs.toFixed(1), max: learnt.maxMs.toFixed(1), gap: gapMs })}
        </p>
        <p>
          {learnt.sure
            ? t("scan.test.learntWrap", { layout: layout.toUpperCase(), prefix: prefix || "–", suffix: suffix || "–" })
            : t("scan.test.learntNoId")}
        </p>
        <div className="scan-test-row">
          <Button onClick={() => save(learnt)}>{t("scan.test.save")}</Button>
          <Button variant="default" onClick={start}>
            {t("scan.test.learnAgain")}
          </Button>
          <Button variant="default" onClick={stop}>
            {t("scan.test.cancel")}
          </Button>
        </div>
      </div>
    );
  }
  return (
    <div className="scan-test-learn">
      <p>{learning.kind === "too_short" ? t("scan.test.learnTooShort") : t("scan.test.learnWhy")}</p>
      <Button variant="default" onClick={start}>
        {t("scan.test.learn")}
      </Button>
    </div>
  );
};
