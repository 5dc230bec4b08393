import { useTranslation } from "react-i18next";
import { useSnapshotStore } from "../bridge/snapshot-store.ts";
import { CameraPreview } from "../scan/index.ts";
import { useCommands } from "../ui/command-context.tsx";
import { acceptScannedLink } from "./scanned-link.ts";
import classes from "./setup.module.css";
import { StepPage } from "./step-page.tsx";

/** Scans the provider's QR code by camera; a hand scanner works as well. */
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
            onScan={({ text }) => void acceptScannedLink(text)}
            onSettings={(changed) => void commands.dispatch({ type: "change_settings", settings: changed })}
          />
        )}
      </div>
    </StepPage>
  );
};
