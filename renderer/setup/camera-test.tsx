import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Settings } from "../../preload/contract.ts";
import { CameraPreview } from "../scan/index.ts";
import { useCommands } from "../ui/command-context.tsx";
import classes from "./setup.module.css";
import { StepPage } from "./step-page.tsx";

interface CameraTestProps {
  readonly settings: Settings;
  /** Called with whether a code was read. */
  readonly close: (hasRead: boolean) => void;
}

/** The camera's picture and the last code that it read; the scans stay on this page. */
export const CameraTest = ({ settings, close }: CameraTestProps) => {
  const { t } = useTranslation();
  const commands = useCommands();
  const [read, setRead] = useState<string | null>(null);
  return (
    <StepPage
      step="devices"
      title={t("devices.camera")}
      next={read === null ? t("devices.cameraNext") : t("devices.scanned", { text: read })}
      actions={{ main: { label: t("setup.good"), shortcut: "mainDeliberate", run: () => close(read !== null) } }}
    >
      <div className={classes.camera}>
        <CameraPreview
          active
          settings={{ ...settings, camera: { ...settings.camera, enabled: true } }}
          onScan={({ text }) => setRead(text)}
          onSettings={(changed) => void commands.dispatch({ type: "change_settings", settings: changed })}
        />
      </div>
    </StepPage>
  );
};
