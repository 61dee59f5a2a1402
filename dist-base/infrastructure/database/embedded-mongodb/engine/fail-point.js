export {};
//# sourceMappingURL=fail-point.js.map