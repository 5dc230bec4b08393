/** Styles of the Mantine components that only the manager's area uses. */
import "@mantine/core/styles/Tabs.css";
import "@mantine/core/styles/InlineInput.css";
import "@mantine/core/styles/Checkbox.css";
import "@mantine/core/styles/Switch.css";
