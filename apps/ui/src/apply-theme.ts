// Runs before anything is drawn, so that a page never flashes in the other theme.
const chosen = localStorage.getItem("tollgate.theme");
if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
