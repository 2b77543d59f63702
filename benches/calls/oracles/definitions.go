// Resolves call sites in Go sources with the type checker of the standard library.
//
// Run in the root of the tree: GO111MODULE=off go run definitions.go < sites > answers
// The tree must be in a GOPATH together with its imports. Sites are lines `PATH TAB BYTE TAB NAME`.
// Answers are lines `PATH TAB BYTE TAB DEFINING_PATH TAB LINE`, where LINE counts from 0 and the
// path is `-` for a definition outside of the tree. Sites that the checker cannot resolve have no
// answer. Missing packages are errors after which the checker continues.
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
	requested := map[string]map[int]bool{}
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
		if requested[parts[0]] == nil {
			requested[parts[0]] = map[int]bool{}
		}
		requested[parts[0]][at] = true
	}
	set := token.NewFileSet()
	imported := importer.ForCompiler(set, "source", nil)
	directories := map[string]bool{}
	for path := range requested {
		directories[filepath.Dir(path)] = true
	}
	for directory := range directories {
		check(set, imported, root, directory, requested)
	}
}

// check prints the answers for the sites of one directory: those of its package, including tests in
// the package, and those of its external test package.
func check(set *token.FileSet, imported types.Importer, root, directory string, requested map[string]map[int]bool) {
	entries, err := os.ReadDir(filepath.Join(root, directory))
	if err != nil {
		return
	}
	packages := map[string][]*ast.File{}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") {
			continue
		}
		if matches, err := build.Default.MatchFile(filepath.Join(root, directory), entry.Name()); err != nil || !matches {
			continue
		}
		file, _ := parser.ParseFile(set, filepath.Join(root, directory, entry.Name()), nil, 0)
		if file != nil {
			packages[file.Name.Name] = append(packages[file.Name.Name], file)
		}
	}
	for _, files := range packages {
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		config := types.Config{Importer: imported, Error: func(error) {}, FakeImportC: true}
		config.Check(directory, set, files, info)
		for name, object := range info.Uses {
			at := set.Position(name.Pos())
			path, err := filepath.Rel(root, at.Filename)
			if err != nil || !requested[path][at.Offset] {
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
