import { useTranslation } from "react-i18next";
import { type Activity, useScannerState } from "../activity.ts";

const shownMax = 50;
const bytesShownMax = 96;

const hex = (bytes: readonly number[]): string => {
  const shown = bytes.slice(0, bytesShownMax).map((byte) => byte.toString(16).padStart(2, "0"));
  return shown.join(" ") + (bytes.length > bytesShownMax ? " …" : "");
};

/** What came from which device, newest first. */
export const ActivityTable = () => {
  const { t } = useTranslation();
  const activities = useScannerState((state) => state.activities);
  if (activities.length === 0) return <p>{t("scan.test.empty")}</p>;
  return (
    <table className="scan-test-table" data-testid="scanner-activities">
      <thead>
        <tr>
          <th>{t("scan.test.source")}</th>
          <th>{t("scan.test.text")}</th>
          <th>{t("scan.test.symbology")}</th>
          <th>{t("scan.test.timing")}</th>
          <th>{t("scan.test.result")}</th>
        </tr>
      </thead>
      <tbody>
        {activities.slice(0, shownMax).map((activity) => (
          <Row key={activity.id} activity={activity} />
        ))}
      </tbody>
    </table>
  );
};

const Row = ({ activity }: { readonly activity: Activity }) => {
  const { t } = useTranslation();
  const { source, text, bytes, symbology, timing, fault, detail, at } = activity;
  return (
    <tr>
      <td>
        {t(`scan.test.sources.${source}`)}
        <small className="scan-test-small">{at.slice(11, 19)} UTC</small>
        <small className="scan-test-small">{detail}</small>
      </td>
      <td>
        <code className="scan-test-text">{text}</code>
        <small className="scan-test-small scan-test-bytes">{hex(bytes)}</small>
      </td>
      <td>{symbology ?? "–"}</td>
      <td>{timing ? t("scan.test.millis", { mean: timing.meanMs.toFixed(1), max: timing.maxMs.toFixed(1) }) : "–"}</td>
      <td>{fault === null ? t("scan.test.isId") : t(`scan.test.faults.${fault}`)}</td>
    </tr>
  );
};
