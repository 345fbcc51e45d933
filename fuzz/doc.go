// Package fuzz holds the fuzz targets over every parser of the module, each with
// a property that must hold of whatever comes in, and seeds taken from the golden
// data. A crasher found by fuzzing is committed below testdata/fuzz and runs with
// the ordinary tests from then on.
//
//	go test ./fuzz -run '^$' -fuzz '^FuzzCanon$' -fuzztime 10m
package fuzz
