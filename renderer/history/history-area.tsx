/** The cashier's history: this terminal's withdrawals one by one, no sums. Loaded when it is first opened. */
import { useTranslation } from "react-i18next";
import { Area } from "../ui/area.tsx";
import page from "../ui/page.module.css";
import { History } from "./history.tsx";

interface HistoryAreaProps {
  readonly close: () => void;
  /** Grows with each scan that came while this area was open. */
  readonly ignoredScans: number;
}

/** The list over the screens. */
export const HistoryArea = ({ close, ignoredScans }: HistoryAreaProps) => {
  const { t } = useTranslation();
  return (
    <Area title={t("manager.history")} close={close} ignoredScans={ignoredScans}>
      <div className={page.scroll}>
        <History saves={false} />
      </div>
    </Area>
  );
};
