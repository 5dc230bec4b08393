import { useTranslation } from "react-i18next";
import { Frame } from "../ui/frame.tsx";
import { ScreenBody } from "../ui/screen-body.tsx";
import { Working } from "../ui/working.tsx";

/** The terminal is starting. */
export const Starting = () => {
  const { t } = useTranslation();
  return (
    <Frame tone="starting">
      <ScreenBody title={t("starting.title")} next={t("starting.next")} aside={<Working />} />
    </Frame>
  );
};
