import { IconCameraOff, IconCash, IconDeviceMobile, IconKeyboard } from "@tabler/icons-react";
import { t } from "i18next";
import { useState } from "react";
import type { Snapshot } from "../../preload/contract.ts";
import { openPracticePhone, usePracticePhone } from "../practice/open-phone.ts";
import { CameraPreview } from "../scan/camera/camera-preview.tsx";
import { useCommands } from "../ui/command-context.tsx";
import { Frame } from "../ui/frame.tsx";
import { CodeEntry } from "./code-entry.tsx";
import classes from "./withdrawal.module.css";

interface ReadyProps {
  readonly snapshot: Snapshot;
  /** False while something covers the screen, since the camera's light is on while it runs. */
  readonly cameraActive: boolean;
  readonly openDay: () => void;
}

const iconProps = { stroke: 2, "aria-hidden": true } as const;

/** The first screen: waits for a code, with the camera's picture. */
export const Ready = ({ snapshot, cameraActive, openDay }: ReadyProps) => {
  const commands = useCommands();
  const [isTyping, setTyping] = useState(false);
  const { settings, header, screen, people } = snapshot;
  const isPeopleLost =
    settings.people.cashiersSignIn && people.cashier === null && ["lost", "unreadable"].includes(people.managers);
  const isPhoneOpen = usePracticePhone((store) => store.isOpen);
  // Asks for no scan while scans cannot be handled.
  const state = header.journalFailing
    ? ("journalFailing.ready" as const)
    : isPeopleLost
      ? ("peopleLost" as const)
      : people.isAwaitingService
        ? ("awaitingService" as const)
        : header.connection !== "offline"
          ? ("ready" as const)
          : header.ownService?.why != null
            ? ("ownService.down" as const)
            : ("ready.offline" as const);
  const needsDay = state === "ready" && header.day?.kind === "closed";
  /** No code is looked up, whatever is scanned or typed. */
  const isShut = state === "awaitingService";
  const typing = {
    label: t("ready.type"),
    icon: <IconKeyboard {...iconProps} size={28} />,
    shortcut: "typeCode",
    run: () => setTyping(true),
  } as const;
  if (isTyping) return <CodeEntry step={screen.step} settings={settings} back={() => setTyping(false)} />;
  return (
    <Frame
      tone={state === "peopleLost" || isShut ? "locked" : header.connection === "offline" ? "offline" : "none"}
      {...(needsDay && { bannerText: t("day.readyBanner") })}
      // A known code is looked up before the day is opened too: only new withdrawals have to wait.
      actions={{
        ...(!isShut && (!needsDay || header.open.length > 0) && { third: typing }),
        ...(needsDay && {
          main: { label: t("day.readyButton"), icon: <IconCash {...iconProps} size={38} />, run: openDay },
        }),
      }}
    >
      <div className={classes.ready}>
        <div className={classes.words}>
          <h1 className={classes.title}>{needsDay ? t("day.ready") : t(`${state}.title`)}</h1>
          <p className={classes.next}>{needsDay ? t("day.readyNext") : t(`${state}.next`)}</p>
          {header.training && !isPhoneOpen && (
            <button type="button" className={classes.training} onClick={openPracticePhone}>
              <IconDeviceMobile {...iconProps} size={34} />
              <span>
                <strong>{settings.tourSeen ? t("phone.open") : t("phone.tourStart")}</strong>
                <span>{settings.tourSeen ? t("phone.openHint") : t("phone.tourHint")}</span>
              </span>
            </button>
          )}
        </div>
        <div className={classes.camera}>
          {settings.camera.enabled && !needsDay && !isShut ? (
            <CameraPreview
              active={cameraActive}
              settings={settings}
              onScan={(scan) => void commands.dispatch({ type: "scan", ...scan })}
              onSettings={(changed) => void commands.dispatch({ type: "change_settings", settings: changed })}
            />
          ) : (
            <div className={classes.off}>
              <IconCameraOff {...iconProps} size={56} />
              <p>{t(settings.camera.enabled && needsDay ? "day.readyCamera" : "ready.cameraOff")}</p>
              {!needsDay && !isShut && <p>{t("ready.cameraOffNext")}</p>}
            </div>
          )}
        </div>
      </div>
    </Frame>
  );
};
