import { t } from "i18next";
import "./camera-preview.css";
import { Loader } from "@mantine/core";
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { useSettingsChange, useSnapshot } from "../../ui/terminal.tsx";
import type { OnScan } from "../scan.ts";
import { type CameraDevice, CameraSession, type CameraState } from "./camera-session.ts";
import { useDecoding } from "./use-decoding.ts";

/** Holds a camera open while the component is mounted and `active`. */
const useCamera = (
  active: boolean,
  deviceId: string | null,
): Readonly<{ state: CameraState; devices: readonly CameraDevice[]; restart: () => void }> => {
  const [state, setState] = useState<CameraState>({ kind: "starting" });
  const [devices, setDevices] = useState<readonly CameraDevice[]>([]);
  const session = useRef<CameraSession | null>(null);
  useEffect(() => {
    if (!active) return;
    const opened = new CameraSession(deviceId, { onState: setState, onDevices: setDevices });
    session.current = opened;
    return () => {
      session.current = null;
      opened.close();
      setState({ kind: "starting" });
    };
  }, [active, deviceId]);
  const restart = useCallback(() => session.current?.restart(), []);
  return { state, devices, restart };
};

// What has a button is loaded when a camera needs it: most have nothing to choose, and work.
const CameraControls = lazy(async () => ({ default: (await import("./camera-controls.tsx")).CameraControls }));
const CameraTrouble = lazy(async () => ({ default: (await import("./camera-controls.tsx")).CameraTrouble }));

interface CameraPreviewProps {
  /** The camera is off, and its light out, while this is false. */
  readonly active: boolean;
  /** Also where the settings have it off. */
  readonly isAlwaysOn?: boolean;
  readonly onScan: OnScan;
}

/** The camera's picture with a target frame, a choice of cameras where there are several, or what to do where there is no picture. */
export const CameraPreview = ({ active, isAlwaysOn = false, onScan }: CameraPreviewProps) => {
  const video = useRef<HTMLVideoElement>(null);
  const { settings } = useSnapshot();
  const change = useSettingsChange();
  const { camera } = settings;
  const isOn = active && (camera.enabled || isAlwaysOn);
  const { state, devices, restart } = useCamera(isOn, camera.deviceId);
  const stream = isOn && state.kind === "live" ? state.stream : null;
  const sight = useDecoding(video, stream, settings, onScan, restart);
  if (!isOn) return null;

  return (
    <section className="scan-camera" aria-label={t("scan.camera")} data-testid="camera" data-state={state.kind}>
      <video ref={video} muted playsInline hidden={state.kind !== "live"} />
      {state.kind === "live" && (
        <>
          <div className="scan-target" data-state={sight} />
          <div className="scan-hint" role="status">
            {t(`scan.sight.${sight}`)}
          </div>
        </>
      )}
      {state.kind === "starting" && (
        <div className="scan-problem">
          <Loader color="white" />
          <p>{t("scan.starting")}</p>
        </div>
      )}
      <Suspense>
        {state.kind === "problem" && <CameraTrouble problem={state.problem} retry={restart} />}
        <CameraControls
          stream={stream}
          devices={devices}
          chosen={(state.kind === "live" ? state.deviceId : camera.deviceId) ?? ""}
          choose={(deviceId) => void change({ camera: { ...camera, deviceId } })}
        />
      </Suspense>
    </section>
  );
};
