import { useCallback, useEffect, useRef, useState } from "react";
import { CameraSession, type CameraState } from "./camera-session.ts";
import type { CameraDevice } from "./open-camera.ts";

interface Camera {
  readonly state: CameraState;
  readonly devices: readonly CameraDevice[];
  readonly restart: () => void;
}

/** Holds a camera open while the component is mounted and `active`. */
export const useCamera = (active: boolean, deviceId: string | null): Camera => {
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
