import { Button } from "@mantine/core";
import { t } from "i18next";
import { useEffect, useState } from "react";
import { useSettingsChange } from "../../ui/command-context.tsx";
import page from "../../ui/page.module.css";
import type { PressedKey } from "../keyboard/detector.ts";
import { type Learnt, learnScanner } from "../keyboard/learn.ts";
import { captureKeys } from "../keyboard/listen.ts";

/** How far the learning of a keyboard scanner is, or what was learnt. */
type Learning = "off" | "listening" | "too_short" | Learnt;

/** The slowest scanners pause for less than this between two keys. */
const scanEndsAfterMs = 800;

/** Gives what one scan teaches, or that it was too short, while `isListening`. */
const useOneScan = (isListening: boolean, done: (learnt: Learning) => void): void =>
  // biome-ignore lint/correctness/useExhaustiveDependencies: a scan is not interrupted by what is drawn meanwhile
  useEffect(() => {
    if (!isListening) return;
    const keys: PressedKey[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const finish = (): void => done(learnScanner(keys) ?? "too_short");
    const release = captureKeys((key) => {
      clearTimeout(timer);
      if (key.key === "Enter" || key.key === "Tab") return finish();
      if ((key.key.length === 1 || key.key === "Dead") && !key.repeat && !key.modified) keys.push(key);
      if (keys.length > 0) timer = setTimeout(finish, scanEndsAfterMs);
    });
    return () => {
      clearTimeout(timer);
      release();
    };
  }, [isListening]);

/** Learns a keyboard scanner that is slow, sends a prefix or suffix, or is set to another layout than the terminal. */
export const LearnScanner = () => {
  const change = useSettingsChange();
  const [learning, setLearning] = useState<Learning>("off");
  useOneScan(learning === "listening", setLearning);
  const button = (label: string, next: Learning) => (
    <Button size="sm" onClick={() => setLearning(next)}>
      {label}
    </Button>
  );
  if (learning === "listening")
    return (
      <div className={page.stack} role="status">
        <p>{t("scan.test.learnNow")}</p>
        {button(t("scan.test.cancel"), "off")}
      </div>
    );
  if (typeof learning === "string")
    return (
      <div className={page.stack}>
        <p>{t(learning === "too_short" ? "scan.test.learnTooShort" : "scan.test.learnWhy")}</p>
        {button(t("scan.test.learn"), "listening")}
      </div>
    );
  const { scanner, meanMs, maxMs, sure } = learning;
  const { gapMs, layout, prefix, suffix } = scanner;
  return (
    <div className={page.stack} role="status">
      <p>{t("scan.test.learntSpeed", { mean: meanMs.toFixed(1), max: maxMs.toFixed(1), gap: gapMs })}</p>
      <p>
        {sure
          ? t("scan.test.learntWrap", { layout: layout.toUpperCase(), prefix: prefix || "–", suffix: suffix || "–" })
          : t("scan.test.learntNoId")}
      </p>
      <div className={page.row}>
        <Button
          variant="filled"
          size="sm"
          onClick={() => {
            void change({ keyboardScanner: scanner });
            setLearning("off");
          }}
        >
          {t("scan.test.save")}
        </Button>
        {button(t("scan.test.learnAgain"), "listening")}
        {button(t("scan.test.cancel"), "off")}
      </div>
    </div>
  );
};
