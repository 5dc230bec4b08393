import { IconCameraOff, IconCash, IconDeviceMobile, IconKeyboard, IconServer } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Snapshot } from "../../preload/contract.ts";
import { openPracticePhone, usePracticePhone } from "../practice/open-phone.ts";
import { CameraPreview } from "../scan/index.ts";
import { useCommands } from "../ui/command-context.tsx";
import { Frame } from "../ui/frame.tsx";
import { CodeEntry } from "./code-entry.tsx";
import classes from "./ready.module.css";

interface ReadyProps {
  readonly snapshot: Snapshot;
  /** Off while something lies over the screen: the camera's light shows that it watches. */
  readonly cameraActive: boolean;
  readonly openDay: () => void;
}

/** Waits for a code, with the camera's picture. */
export const Ready = ({ snapshot, cameraActive, openDay }: ReadyProps) => {
  const { t } = useTranslation();
  const commands = useCommands();
  const [isTyping, setTyping] = useState(false);
  const { settings, header, screen } = snapshot;
  const isPhoneOpen = usePracticePhone((store) => store.isOpen);
  // What cannot work now is not asked for.
  const state = header.journalFailing
    ? ("journalFailing.ready" as const)
    : header.connection === "offline"
      ? ("ready.offline" as const)
      : ("ready" as const);
  const isServiceDown = header.ownService?.state === "given_up" && state === "ready.offline";
  const needsDay = state === "ready" && header.day?.kind === "closed";
  if (isTyping) return <CodeEntry step={screen.step} settings={settings} back={() => setTyping(false)} />;
  return (
    <Frame
      tone={header.connection === "offline" ? "offline" : "none"}
      actions={{
        ...(needsDay
          ? {
              third: {
                label: t("day.readyButton"),
                icon: <IconCash size={28} stroke={2.2} aria-hidden />,
                run: openDay,
              },
            }
          : {}),
        ...(isServiceDown
          ? {
              third: {
                label: t("ownService.restart"),
                icon: <IconServer size={28} stroke={2.2} aria-hidden />,
                run: () => void commands.dispatch({ type: "restart_service" }),
              },
            }
          : {}),
        main: {
          label: t("ready.type"),
          icon: <IconKeyboard size={38} stroke={2} aria-hidden />,
          shortcut: "typeCode",
          run: () => setTyping(true),
        },
      }}
    >
      <div className={classes.ready}>
        <div className={classes.words}>
          <h1 className={classes.title}>
            {isServiceDown ? t("ownService.readyTitle") : needsDay ? t("day.ready") : t(`${state}.title`)}
          </h1>
          <p className={classes.next}>
            {isServiceDown ? t("ownService.readyNext") : needsDay ? t("day.readyNext") : t(`${state}.next`)}
          </p>
          {header.training && !isPhoneOpen && (
            <button type="button" className={classes.training} onClick={openPracticePhone}>
              <IconDeviceMobile size={34} stroke={2} aria-hidden />
              <span>
                <strong>{settings.tourSeen ? t("phone.open") : t("phone.tourStart")}</strong>
                <span>{settings.tourSeen ? t("phone.openHint") : t("phone.tourHint")}</span>
              </span>
            </button>
          )}
        </div>
        <div className={classes.camera}>
          {settings.camera.enabled ? (
            <CameraPreview
              active={cameraActive}
              settings={settings}
              onScan={(scan) => void commands.dispatch({ type: "scan", ...scan })}
              onSettings={(changed) => void commands.dispatch({ type: "change_settings", settings: changed })}
            />
          ) : (
            <div className={classes.off}>
              <IconCameraOff size={56} stroke={1.6} aria-hidden />
              <p>{t("ready.cameraOff")}</p>
              <p>{t("ready.cameraOffNext")}</p>
            </div>
          )}
        </div>
      </div>
    </Frame>
  );
};
