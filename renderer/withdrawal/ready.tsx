import { IconCameraOff, IconCash, IconDeviceMobile, IconKeyboard } from "@tabler/icons-react";
import { t } from "i18next";
import { useState } from "react";
import type { Snapshot } from "../../preload/contract.ts";
import { openPracticePhone, usePracticePhone } from "../practice/open-phone.ts";
import { CameraPreview } from "../scan/camera/camera-preview.tsx";
import { type Action, Frame } from "../ui/frame.tsx";
import { useCommands, useSnapshot } from "../ui/terminal.tsx";
import { CodeEntry } from "./code-entry.tsx";
import classes from "./withdrawal.module.css";

/** What the first screen is given. */
export interface ReadyProps {
  /** False while something covers the screen, since the camera's light is on while it runs. */
  readonly cameraActive: boolean;
  readonly openDay: () => void;
}

/** What the screen says: it asks for no scan while scans cannot be handled. */
const stateOf = ({ header, people, settings }: Snapshot) => {
  if (header.journalFailing) return "journalFailing.ready";
  const isLost = people.managers === "lost" || people.managers === "unreadable";
  if (settings.people.cashiersSignIn && people.cashier === null && isLost) return "peopleLost";
  if (people.isAwaitingService) return "awaitingService";
  if (header.connection !== "offline") return "ready";
  return header.ownService?.why != null ? "ownService.down" : "ready.offline";
};

/** The first screen: waits for a code, with the camera's picture. */
export const Ready = ({ cameraActive, openDay }: ReadyProps) => {
  const commands = useCommands();
  const snapshot = useSnapshot();
  const [isTyping, setTyping] = useState(false);
  const isPhoneOpen = usePracticePhone((store) => store.isOpen);
  const { settings, header, screen } = snapshot;
  const state = stateOf(snapshot);
  const needsDay = state === "ready" && header.day?.kind === "closed";
  /** No code is looked up, whatever is scanned or typed. */
  const isShut = state === "awaitingService";
  const typing: Action = {
    label: t("ready.type"),
    icon: IconKeyboard,
    shortcut: "typeCode",
    run: () => setTyping(true),
  };
  if (isTyping) return <CodeEntry step={screen.step} back={() => setTyping(false)} />;
  return (
    <Frame
      tone={state === "peopleLost" || isShut ? "locked" : header.connection === "offline" ? "offline" : "none"}
      bannerText={needsDay ? t("day.readyBanner") : undefined}
      // A known code is looked up before the day is opened too: only new withdrawals have to wait.
      actions={{
        ...(!isShut && (!needsDay || header.open.length > 0) && { third: typing }),
        ...(needsDay && { main: { label: t("day.readyButton"), icon: IconCash, run: openDay } }),
      }}
    >
      <div className={classes.ready}>
        <div className={classes.words}>
          <h1>{t(needsDay ? "day.ready" : `${state}.title`)}</h1>
          <p>{t(needsDay ? "day.readyNext" : `${state}.next`)}</p>
          {header.training && !isPhoneOpen && (
            <button type="button" className={classes.training} onClick={openPracticePhone}>
              <IconDeviceMobile size={34} stroke={2} aria-hidden />
              <span>
                <strong>{t(settings.tourSeen ? "phone.open" : "phone.tourStart")}</strong>
                <span>{t(settings.tourSeen ? "phone.openHint" : "phone.tourHint")}</span>
              </span>
            </button>
          )}
        </div>
        <div className={classes.camera}>
          {settings.camera.enabled && !needsDay && !isShut ? (
            <CameraPreview active={cameraActive} onScan={(scan) => void commands.dispatch({ type: "scan", ...scan })} />
          ) : (
            <div className={classes.off}>
              <IconCameraOff size={56} stroke={2} aria-hidden />
              <p>{t(settings.camera.enabled && needsDay ? "day.readyCamera" : "ready.cameraOff")}</p>
              {!needsDay && !isShut && <p>{t("ready.cameraOffNext")}</p>}
            </div>
          )}
        </div>
      </div>
    </Frame>
  );
};
