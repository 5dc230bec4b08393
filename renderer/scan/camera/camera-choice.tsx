import { NativeSelect } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { CameraDevice } from "./camera-session.ts";

interface CameraChoiceProps {
  readonly devices: readonly CameraDevice[];
  /** Empty before one was chosen. */
  readonly chosen: string;
  readonly choose: (deviceId: string) => void;
}

/** Which of several cameras reads. Most terminals have one: it is loaded where there are more. */
export const CameraChoice = ({ devices, chosen, choose }: CameraChoiceProps) => {
  const { t } = useTranslation();
  return (
    <NativeSelect
      aria-label={t("scan.chooseCamera")}
      data={devices.map(({ deviceId, label }, index) => ({
        value: deviceId,
        label: label || t("scan.cameraNumber", { number: index + 1 }),
      }))}
      value={chosen}
      onChange={(event) => choose(event.currentTarget.value)}
      w={240}
    />
  );
};
