// What the calls of Go sources mean, by the type checker of the standard library.
//
// GO111MODULE=off go run definitions.go < sites > answers, in the root of the tree, which lies in a
// GOPATH together with what it imports. Sites are lines `PATH TAB BYTE TAB NAME`; answers are lines
// `PATH TAB BYTE TAB DEFINING_PATH TAB LINE`, the line from 0, the path `-` for what is elsewhere.
// Sites that the checker does not know get none; what is missing is an error that it goes on from.
package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	root, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	root, _ = filepath.EvalSymlinks(root)
	wanted := map[string]map[int]bool{}
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		parts := strings.Split(input.Text(), "\t")
		if len(parts) != 3 {
			continue
		}
		at, err := strconv.Atoi(parts[1])
		if err != nil {
			continue
		}
		if wanted[parts[0]] == nil {
			wanted[parts[0]] = map[int]bool{}
		}
		wanted[parts[0]][at] = true
	}
	set := token.NewFileSet()
	imported := importer.ForCompiler(set, "source", nil)
	folders := map[string]bool{}
	for path := range wanted {
		folders[filepath.Dir(path)] = true
	}
	for folder := range folders {
		check(set, imported, root, folder, wanted)
	}
}

// check answers the sites of one folder: of its package with its tests, and of the tests' own.
func check(set *token.FileSet, imported types.Importer, root, folder string, wanted map[string]map[int]bool) {
	entries, err := os.ReadDir(filepath.Join(root, folder))
	if err != nil {
		return
	}
	packages := map[string][]*ast.File{}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") {
			continue
		}
		if matches, err := build.Default.MatchFile(filepath.Join(root, folder), entry.Name()); err != nil || !matches {
			continue
		}
		file, _ := parser.ParseFile(set, filepath.Join(root, folder, entry.Name()), nil, 0)
		if file != nil {
			packages[file.Name.Name] = append(packages[file.Name.Name], file)
		}
	}
	for _, files := range packages {
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		config := types.Config{Importer: imported, Error: func(error) {}, FakeImportC: true}
		config.Check(folder, set, files, info)
		for name, object := range info.Uses {
			at := set.Position(name.Pos())
			path, err := filepath.Rel(root, at.Filename)
			if err != nil || !wanted[path][at.Offset] {
				continue
			}
			there := set.Position(object.Pos())
			file := "-"
			if object.Pos().IsValid() {
				real, err := filepath.EvalSymlinks(there.Filename)
				relative, err2 := filepath.Rel(root, real)
				if err == nil && err2 == nil && !strings.HasPrefix(relative, "..") {
					file = relative
				}
			}
			line := there.Line - 1
			if file == "-" {
				line = 0
			}
			fmt.Printf("%s\t%d\t%s\t%d\n", path, at.Offset, file, line)
		}
	}
}
