import { Button } from "@mantine/core";
import { useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { featuresOf, prepare, refocus, setTorch, setZoom } from "./camera-features.ts";

/** Light, zoom and focus, as far as the camera has them; most terminals' cameras have none and show nothing here. */
export const CameraControls = ({ stream }: { readonly stream: MediaStream }) => {
  const { t } = useTranslation();
  const features = useMemo(() => featuresOf(stream), [stream]);
  const [torch, changeTorch] = useState(false);
  const [zoom, changeZoom] = useState<number | null>(null);
  useEffect(() => {
    void prepare(stream);
  }, [stream]);
  return (
    <>
      {features.torch && (
        <Button
          variant={torch ? "filled" : "default"}
          aria-pressed={torch}
          onClick={() => {
            changeTorch(!torch);
            void setTorch(stream, !torch);
          }}
        >
          {t("scan.light")}
        </Button>
      )}
      {features.refocus && (
        <Button variant="default" onClick={() => void refocus(stream)}>
          {t("scan.focus")}
        </Button>
      )}
      {features.zoom && (
        <label className="scan-zoom">
          {t("scan.zoom")}
          <input
            type="range"
            {...features.zoom}
            value={zoom ?? features.zoom.min}
            onChange={({ currentTarget }) => {
              changeZoom(currentTarget.valueAsNumber);
              void setZoom(stream, currentTarget.valueAsNumber);
            }}
          />
        </label>
      )}
    </>
  );
};
