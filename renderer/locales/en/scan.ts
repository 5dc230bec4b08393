/** English texts: cameras and scanners. */
export const scan = {
  camera: "Camera",
  chooseCamera: "Camera",
  cameraNumber: "Camera {{number}}",
  starting: "The camera is starting",
  tryAgain: "Try again",
  light: "Light",
  zoom: "Zoom",
  focus: "Focus again",
  sight: {
    nothing: "Hold the barcode in the frame",
    once_more: "Reading. Hold still",
    accepted: "Read",
    again: "Already read. Take the phone away and show it again",
    foreign: "This is not a withdrawal code",
    dark: "Too dark. Turn the phone’s brightness up or switch a light on",
    glaring: "Too much glare. Tilt the phone a little",
    blurred: "Not sharp. Hold the phone still, about 15 cm away",
    near: "Too near. Move the phone back a little",
    far: "Too far. Bring the phone closer",
  },
  problem: {
    none: {
      title: "No camera found",
      remedy: "Plug a camera in; it is used at once. Until then use the hand scanner or type the code.",
    },
    taken: {
      title: "Another program uses the camera",
      remedy: "Close the other program, such as a video call. The terminal tries again by itself.",
    },
    denied: {
      title: "The camera is not allowed",
      remedy: "Allow the camera for this page in the browser or in the system’s privacy settings, then try again.",
    },
    denied_windows: {
      title: "The camera is switched off in Windows",
      remedy:
        "In Windows open Settings, Privacy & security, Camera. Switch on the camera access, and the one for desktop apps. Then try again.",
    },
    denied_mac: {
      title: "The camera is switched off in macOS",
      remedy:
        "In macOS open System Settings, Privacy & Security, Camera, and switch Tillcash on. Then start Tillcash again.",
    },
    denied_linux: {
      title: "This user may not use the camera",
      remedy:
        "Ask whoever runs this computer: the user needs the right to the camera (often the group “video”). Then sign in again.",
    },
    insecure: {
      title: "The camera cannot be used on this address",
      remedy: "Open the terminal on this machine itself, or over https.",
    },
    unplugged: {
      title: "The camera was unplugged",
      remedy: "Plug it in again; it is used at once. Until then use the hand scanner or type the code.",
    },
    failed: {
      title: "The camera does not start",
      remedy: "Unplug it and plug it in again. Until then use the hand scanner or type the code.",
    },
  },
  test: {
    keyboard: "Scanner as a keyboard",
    learnWhy:
      "If a scanner is not heard, is slow, or sends characters around the code, let the terminal learn it from one scan.",
    learnTooShort: "That was too short to be a scan. Try again with a barcode of six characters or more.",
    learn: "Learn this scanner",
    learnNow: "Scan a withdrawal barcode now. Keep hands off the keyboard.",
    learnAgain: "Scan again",
    learntSpeed: "Pause between keys: {{mean}} ms on average, {{max}} ms at most. The terminal will allow {{gap}} ms.",
    learntWrap: "Layout: {{layout}}. Before the code: {{prefix}}. After it: {{suffix}}.",
    learntNoId:
      "That was no withdrawal code, so only the speed is known. Scan one to learn layout, prefix and suffix too.",
    save: "Use this",
    cancel: "Cancel",
    devices: "Scanner in HID POS or serial mode",
    choose: { hid: "Choose a HID scanner", serial: "Choose a serial scanner" },
    deviceStates: {
      unsupported: "Not available in this browser",
      absent: "Not connected",
      connected: "Connected",
    },
    cameraOff: "The camera is switched off in the settings.",
    engineAlone: "WebAssembly is not available here: fewer codes are read in bad light.",
    activities: "What was read",
    empty: "Nothing yet. Scan something: it is shown here and starts nothing.",
    source: "From",
    text: "Text and bytes",
    symbology: "Kind of code",
    timing: "Time",
    result: "Result",
    millis: "{{mean}} ms, at most {{max}} ms",
    isId: "Withdrawal code",
    faults: {
      symbology_off: "This kind of code is off",
      length: "No withdrawal code: wrong length",
      alphabet: "No withdrawal code: wrong characters",
      check: "No withdrawal code: wrong check character",
    },
    sources: {
      camera: "Camera",
      keyboard: "Keyboard scanner",
      hid: "HID scanner",
      serial: "Serial scanner",
      typed: "Typed",
      pasted: "Pasted",
    },
    clear: "Clear",
    export: "Export",
  },
};
