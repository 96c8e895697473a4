"""Aufrant, Wisniewski & Yvon (2017): beams with global dynamic oracles."""
