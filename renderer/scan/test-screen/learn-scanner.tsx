import { Button } from "@mantine/core";
import { t } from "i18next";
import { useCallback, useEffect, useState } from "react";
import type { Settings } from "../../../preload/contract.ts";
import page from "../../ui/page.module.css";
import type { PressedKey } from "../keyboard/detector.ts";
import { type Learnt, learnScanner } from "../keyboard/learn.ts";
import { captureKeys } from "../keyboard/listen.ts";

/** How far the learning of a keyboard scanner is. */
type Learning =
  | { readonly kind: "off" }
  | { readonly kind: "listening" }
  | { readonly kind: "learnt"; readonly learnt: Learnt }
  | { readonly kind: "too_short" };

/** The slowest scanners pause for less than this between two keys. */
const scanEndsAfterMs = 800;

/** Learns a keyboard scanner from one scan of it. */
const useLearning = (): {
  readonly learning: Learning;
  readonly start: () => void;
  readonly stop: () => void;
} => {
  const [learning, setLearning] = useState<Learning>({ kind: "off" });
  const isListening = learning.kind === "listening";
  useEffect(() => {
    if (!isListening) return;
    let keys: PressedKey[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const finish = (): void => {
      const learnt = learnScanner(keys);
      keys = [];
      setLearning(learnt ? { kind: "learnt", learnt } : { kind: "too_short" });
    };
    const release = captureKeys((key) => {
      clearTimeout(timer);
      if (key.key === "Enter" || key.key === "Tab") {
        finish();
        return;
      }
      if ((key.key.length === 1 || key.key === "Dead") && !key.repeat && !key.modified) keys.push(key);
      if (keys.length > 0) timer = setTimeout(finish, scanEndsAfterMs);
    });
    return () => {
      clearTimeout(timer);
      release();
    };
  }, [isListening]);
  const start = useCallback(() => setLearning({ kind: "listening" }), []);
  const stop = useCallback(() => setLearning({ kind: "off" }), []);
  return { learning, start, stop };
};

interface LearnScannerProps {
  readonly settings: Settings;
  readonly onSettings: (settings: Settings) => void;
}

/** Learns a keyboard scanner that is slow, sends a prefix or suffix, or is set to another layout than the terminal. */
export const LearnScanner = ({ settings, onSettings }: LearnScannerProps) => {
  const { learning, start, stop } = useLearning();
  const save = ({ scanner }: Learnt): void => {
    onSettings({ ...settings, keyboardScanner: scanner });
    stop();
  };
  if (learning.kind === "listening") {
    return (
      <div className={page.stack} role="status">
        <p>{t("scan.test.learnNow")}</p>
        <Button size="sm" onClick={stop}>
          {t("scan.test.cancel")}
        </Button>
      </div>
    );
  }
  if (learning.kind === "learnt") {
    const { learnt } = learning;
    const { gapMs, layout, prefix, suffix } = learnt.scanner;
    return (
      <div className={page.stack} role="status">
        <p>
          {t("scan.test.learntSpeed", { mean: learnt.meanMs.toFixed(1), max: learnt.maxMs.toFixed(1), gap: gapMs })}
        </p>
        <p>
          {learnt.sure
            ? t("scan.test.learntWrap", { layout: layout.toUpperCase(), prefix: prefix || "–", suffix: suffix || "–" })
            : t("scan.test.learntNoId")}
        </p>
        <div className={page.row}>
          <Button variant="filled" size="sm" onClick={() => save(learnt)}>
            {t("scan.test.save")}
          </Button>
          <Button size="sm" onClick={start}>
            {t("scan.test.learnAgain")}
          </Button>
          <Button size="sm" onClick={stop}>
            {t("scan.test.cancel")}
          </Button>
        </div>
      </div>
    );
  }
  return (
    <div className={page.stack}>
      <p>{learning.kind === "too_short" ? t("scan.test.learnTooShort") : t("scan.test.learnWhy")}</p>
      <Button size="sm" onClick={start}>
        {t("scan.test.learn")}
      </Button>
    </div>
  );
};
