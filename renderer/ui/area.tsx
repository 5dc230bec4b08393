import { Button, Group } from "@mantine/core";
import { useDebouncedValue, useWindowEvent } from "@mantine/hooks";
import { IconX } from "@tabler/icons-react";
import { t } from "i18next";
import { type ReactNode, useEffect, useRef } from "react";
import classes from "./page.module.css";
import { isShortcut } from "./shortcuts.ts";
import { isForDialog } from "./use-keys.ts";

/** What the page gives to each area over the screens. */
export interface OverScreenProps {
  readonly close: () => void;
  /** Counts the scans that were ignored while the area is open; null where scans are handled. */
  readonly ignoredScans: number | null;
}

interface AreaProps extends OverScreenProps {
  readonly title: string;
  /** Default: "Close". */
  readonly closeLabel?: string;
  readonly children: ReactNode;
}

/** A page that a person opens over the screens: title, close button, and a hint about scans that are ignored meanwhile. It takes the focus. */
export const Area = ({ title, close, ignoredScans, closeLabel = t("manager.close"), children }: AreaProps) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  useWindowEvent("keydown", (event) => {
    if (isShortcut("close", event.key) && !event.defaultPrevented && !event.repeat && !isForDialog(event)) close();
  });
  return (
    <main className={classes.area}>
      <Group justify="space-between" wrap="nowrap">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {ignoredScans !== null && <ScanHint scans={ignoredScans} />}
        <Button size="lg" fz="lg" px="md" leftSection={<IconX size={26} stroke={2.2} aria-hidden />} onClick={close}>
          {closeLabel}
        </Button>
      </Group>
      {children}
    </main>
  );
};

const hintMs = 6000;

const ScanHint = ({ scans }: { readonly scans: number }) => {
  const [seen] = useDebouncedValue(scans, hintMs);
  return (
    <p className={classes.caution} role="status" data-shown={scans > seen ? scans : undefined}>
      {scans > seen && t("manager.scanning")}
    </p>
  );
};
