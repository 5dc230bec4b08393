import { useTranslation } from "react-i18next";
import { useSnapshotStore } from "../bridge/snapshot-store.ts";
import { CameraPreview } from "../scan/index.ts";
import { useCommands } from "../ui/command-context.tsx";
import { takeLink } from "./scanned-link.ts";
import classes from "./setup.module.css";
import { StepPage } from "./step-page.tsx";

/** The provider's QR code before the camera; another scanner works as well. */
export const ScanStep = ({ back }: { readonly back: () => void }) => {
  const { t } = useTranslation();
  const commands = useCommands();
  const settings = useSnapshotStore((store) => store.snapshot?.settings ?? null);
  return (
    <StepPage
      step="connect"
      title={t("setup.scanTitle")}
      next={t("setup.scanNext")}
      actions={{ second: { label: t("setup.typeCode"), run: back } }}
    >
      <div className={classes.camera}>
        {settings && (
          <CameraPreview
            active
            settings={{ ...settings, camera: { ...settings.camera, enabled: true } }}
            onScan={({ text }) => void takeLink(text)}
            onSettings={(changed) => void commands.dispatch({ type: "change_settings", settings: changed })}
          />
        )}
      </div>
    </StepPage>
  );
};
