// SPDX-License-Identifier: GPL-2.0
"use strict";
function key(row, column) {
	const value = row.cells[column].dataset.sort;
	const number = Number(value);
	return value === "" || Number.isNaN(number) ? value : number;
}
function order(a, b) {
	return typeof a === typeof b ? (a > b) - (a < b) : typeof a === "number" ? -1 : 1;
}
function sort(head) {
	const table = head.closest("table");
	const column = head.cellIndex;
	const up = head.getAttribute("aria-sort") !== "ascending";
	const rows = [...table.tBodies[0].rows];
	for (const other of head.parentNode.cells)
		other.removeAttribute("aria-sort");
	head.setAttribute("aria-sort", up ? "ascending" : "descending");
	rows.sort((a, b) => (up ? 1 : -1) * order(key(a, column), key(b, column)));
	table.tBodies[0].append(...rows);
}
for (const button of document.querySelectorAll("th button"))
	button.addEventListener("click", () => sort(button.closest("th")));
