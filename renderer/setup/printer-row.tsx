import { IconPrinter } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Settings } from "../../preload/contract.ts";
import { usePrinterTest } from "../ui/use-device-test.ts";
import { DeviceRow } from "./device-row.tsx";

/** The receipt printer with its test. */
export const PrinterRow = ({ printer }: Pick<Settings, "printer">) => {
  const { t } = useTranslation();
  return (
    <DeviceRow
      icon={<IconPrinter size={34} stroke={1.8} aria-hidden />}
      name={t("settings.printer")}
      {...usePrinterTest(printer)}
    />
  );
};
