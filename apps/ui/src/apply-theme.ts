// Runs before the first render so that a page never flashes in the wrong theme.
const chosen = localStorage.getItem("tollgate.theme");
if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
