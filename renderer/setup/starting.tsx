import { useTranslation } from "react-i18next";
import { Frame } from "../ui/frame.tsx";
import { Moment } from "../ui/screen-body.tsx";
import { Working } from "../ui/working.tsx";

export const Starting = () => {
  const { t } = useTranslation();
  return (
    <Frame verdict="starting">
      <Moment title={t("starting.title")} next={t("starting.next")} aside={<Working />} />
    </Frame>
  );
};
