import { useCallback, useEffect, useState } from "react";
import type { PressedKey } from "../keyboard/detector.ts";
import { type Learnt, learnScanner } from "../keyboard/learn.ts";
import { captureKeys } from "../keyboard/listen.ts";

/** How far the learning of a keyboard scanner is. */
export type Learning =
  | { readonly kind: "off" }
  | { readonly kind: "listening" }
  | { readonly kind: "learnt"; readonly learnt: Learnt }
  | { readonly kind: "too_short" };

/** The slowest scanners pause for less than this between two keys. */
const scanEndsAfterMs = 800;

/** Learns a keyboard scanner from one scan of it. */
export const useLearning = (): {
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
